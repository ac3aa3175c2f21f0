{# Which tile a workgroup makes: (tile of columns, tile of rows, layer). #}
{$ if variant.folded $}
    let linear = workgroup.x + workgroups.x * (workgroup.y + workgroups.y * workgroup.z);
    let row_and_layer = linear / params.col_tiles;
    let position = vec3<u32>(linear % params.col_tiles, row_and_layer % params.row_tiles, row_and_layer / params.row_tiles);
{$ else $}
    let position = workgroup;
{$ endif $}
