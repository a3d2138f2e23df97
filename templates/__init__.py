"""The MkDocs theme `openmodelatlas`: this folder, installed as a package so that MkDocs finds it by name."""
