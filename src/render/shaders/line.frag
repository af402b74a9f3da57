in vec4 lineColor;
in float across;
uniform vec2 widthAndBias;
uniform float strength; // 1, or less for the hidden part
out vec4 fragment;
void main()
{
    float coverage = clamp(0.5 * widthAndBias.x + 0.5 - abs(across), 0.0, 1.0);
    coverage *= min(1.0, widthAndBias.x);
    float alpha = lineColor.a * coverage * strength;
    fragment = vec4(lineColor.rgb * alpha, alpha);
}
