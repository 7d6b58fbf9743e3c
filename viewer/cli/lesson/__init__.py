"""``wheatstone lesson``: show a lesson in a window, or write its steps as pictures or a film.

Begin with ``verb``; ``options`` reads the command line, ``playing`` plays without a window.
"""
