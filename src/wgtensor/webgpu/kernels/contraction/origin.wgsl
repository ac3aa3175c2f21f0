{# Where a layer begins in each tensor, and how deep it is. #}
    let split = layer / params.batches;
    let batch = layer - split * params.batches;
    let start = params.split_table + 3u * split;
    let depth = tables[start + 2u];
    let from_a = params.base_a + offset(params.batch_a, batch) + tables[start];
    let from_b = params.base_b + offset(params.batch_b, batch) + tables[start + 1u];
    let from_c = params.base_c + offset(params.batch_c, batch) + split * params.split_stride;
