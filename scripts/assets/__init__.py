"""Generator of marrow's own models: shapes, rigs, clips, textures and the files that hold them."""
