"""The heterogeneous graph: schema, building, tensors."""
