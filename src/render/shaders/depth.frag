#ifdef CUT_OUT
in vec2 vertexUv;
uniform sampler2D baseColor;
#endif
void main()
{
#ifdef CUT_OUT
    if (texture(baseColor, vertexUv).a < 0.5) discard;
#endif
}
