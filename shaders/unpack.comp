#version 430 core
// Copies a buffer's numbers into a texture, one a texel, row by row.  A data centre's GPU takes many times
// as long for OpenGL's own copy.
//
// FORMAT is the texture's, ELEMENT what its texels are made of: BYTES (one, or four for COLOURS), SHORTS, WORDS
// or REALS; SIGNED: whether they have a sign.

layout(local_size_x = 32, local_size_y = 8) in;
layout(std430, binding = 0) readonly buffer Numbers { uint words[]; };

#if ELEMENT == REALS
layout(FORMAT, binding = 0) writeonly uniform image2D texels;
vec4 number(uint i) { return vec4(uintBitsToFloat(words[i])); }
#else
#if SIGNED
layout(FORMAT, binding = 0) writeonly uniform iimage2D texels;
#define Whole int
#define Texel ivec4
#else
layout(FORMAT, binding = 0) writeonly uniform uimage2D texels;
#define Whole uint
#define Texel uvec4
#endif
Texel number(uint i) {
#if ELEMENT == COLOURS
    return Texel(words[i] & 255u, words[i] >> 8 & 255u, words[i] >> 16 & 255u, words[i] >> 24);
#elif ELEMENT == BYTES
    return Texel(bitfieldExtract(Whole(words[i / 4u]), int(i % 4u) * 8, 8));
#elif ELEMENT == SHORTS
    return Texel(bitfieldExtract(Whole(words[i / 2u]), int(i % 2u) * 16, 16));
#else
    return Texel(Whole(words[i]));
#endif
}
#endif

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy), size = imageSize(texels);
    if (all(lessThan(at, size))) imageStore(texels, at, number(uint(at.y) * uint(size.x) + uint(at.x)));
}
