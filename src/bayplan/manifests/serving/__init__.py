"""Models and servers of Seldon Core 2: checked, and kept until models are loaded onto servers."""
