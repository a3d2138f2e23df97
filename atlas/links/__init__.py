"""The links that authors write into entries and prose: what they mean, where they stand, and which of them are dead."""
