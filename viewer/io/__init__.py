"""Read and write everything outside the program: documents, pictures, films, cameras."""
