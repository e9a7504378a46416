"""The filters of placement: one file each; they do not import each other."""
