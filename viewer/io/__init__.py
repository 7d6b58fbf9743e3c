"""Reading and writing of everything outside the program: documents, pictures, films, cameras."""
