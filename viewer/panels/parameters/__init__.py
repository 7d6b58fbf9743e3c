"""The parameter panel, generated from the declarations of parameters and choices."""
