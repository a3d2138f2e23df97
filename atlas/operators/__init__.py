"""The executable NumPy reference: one file per operator family, arrays in, arrays out, under a shape contract."""
