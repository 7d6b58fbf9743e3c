"""``wheatstone figure``: a grid of views for a report, with names, metrics and colour bars.

Its verb makes a plan of what is asked for, or reads one from a figure, and has it drawn.
"""
