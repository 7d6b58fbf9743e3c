"""``wheatstone report``: measure everything on this machine, and write a page of the results.

Begin with ``verb``. ``plan`` lists the command lines whose results the report holds, ``measuring``
runs them into a document of JSON, and ``pages`` makes HTML and Markdown of that document alone.
"""
