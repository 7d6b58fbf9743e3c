"""``wheatstone figure``: draw a grid of views for a report, with names, metrics and colour bars.

Its verb makes a plan from the command line, or reads one from a figure, and draws it.
"""
