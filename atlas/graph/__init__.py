"""A collection → its accounting: parameters of components, stacks and variants, exact and never typed."""
