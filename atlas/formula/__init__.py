"""The formula engine: LaTeX that is displayed, parsed with its symbol table and executed under named axes.

`engine.parse` reads a formula with its declarations, `Formula.run` evaluates it, and `check.check` compares it with a
reference. Nothing is imported here, so that what needs a symbol table alone does not load what parses and executes.
"""
