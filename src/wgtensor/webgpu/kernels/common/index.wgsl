// Linear index of a workgroup in a grid folded over x, y and z; it may exceed the count that was asked for.
fn linear_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
    return group.x + (group.y + group.z * groups.y) * groups.x;
}
