"""The kinds of objects: names, APIs, schemas, tables and discovery, all pure functions over plain documents.

- `registry.REGISTRY`: `at(group, version, plural)`, `of_kind`, `of_document`, `named`, `resolve` → `ResourceType`
- `kinds.KINDS`, `kinds.CUSTOM_GROUPS`: every kind, and the groups whose CustomResourceDefinitions are accepted
- `resource_type`: `ResourceType`, `Api`, `Subresource`, `Support`
"""
