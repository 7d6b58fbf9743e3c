"""The panel of the user's own kernels: state, errors, first wrong pixel, costs, saved states.

Begin with ``panel``; ``kernel_words`` formats what it shows.
"""
