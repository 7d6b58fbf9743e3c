"""The parameter panel, generated from the declarations."""
