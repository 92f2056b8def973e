from roofproof.atlas.rows import AtlasRow as AtlasRow, atlas as atlas
