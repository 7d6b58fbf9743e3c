"""``wheatstone report``: everything measured on this machine, as one page that needs no network.

Begin with ``verb``. ``plan`` lists the command lines whose results the report holds, ``measuring``
runs them into a document of JSON, and ``page`` makes HTML and Markdown of that document alone.
"""
