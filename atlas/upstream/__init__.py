"""Pinned upstream code, executed over small NumPy facades, so that its behaviour can be compared with our operators.

Only `atlas verify` comes here, never the build of a page: verified text → selected definitions → results as arrays.
"""
