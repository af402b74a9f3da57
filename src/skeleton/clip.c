// Sampling of clips. A channel's value at time t lies between two neighbouring keys, found by
// binary search; before the first and after the last key the value stays.
#include "skeleton/skeleton.h"

#include "core/error.h"

// Where t lies among the keys: times[key] <= t < times[key + 1], at fraction u of the interval of
// length `span`. On a clamped end span is 0 and key is the end's own.
typedef struct Spot {
    int key;
    double u, span;
} Spot;

static Spot findSpot(const snChannel *channel, double t)
{
    const float *times = channel->times;
    int low = 0, high = channel->keyCount - 1;
    if (!(t > (double)times[0])) return (Spot){0, 0.0, 0.0}; // also for NaN
    if (t >= (double)times[high]) return (Spot){high, 0.0, 0.0};
    while (high - low > 1) { // times[low] <= t < times[high]
        int middle = low + (high - low) / 2;
        if ((double)times[middle] <= t)
            low = middle;
        else
            high = middle;
    }
    double span = (double)times[low + 1] - (double)times[low];
    return (Spot){low, (t - (double)times[low]) / span, span};
}

// Where in `values` the value of a key begins, without its tangents.
static const float *valueOf(const snChannel *channel, int key)
{
    size_t width = (size_t)channel->width, k = (size_t)key;
    if (channel->interpolation == SN_CUBIC) return channel->values + (3 * k + 1) * width;
    return channel->values + k * width;
}

// Component i at the spot, for everything but linear rotations. The cubic is Hermite's with the
// tangents b (out of key k) and a (into key k + 1) given per second, hence times the span d:
// p(u) = (2u³ - 3u² + 1) v_k + d (u³ - 2u² + u) b_k + (-2u³ + 3u²) v_k+1 + d (u³ - u²) a_k+1
static double component(const snChannel *channel, Spot spot, int i)
{
    double first = (double)valueOf(channel, spot.key)[i];
    if (spot.span <= 0.0 || channel->interpolation == SN_STEP) return first;
    const float *next = valueOf(channel, spot.key + 1);
    double second = (double)next[i], u = spot.u;
    if (channel->interpolation == SN_LINEAR) return (1.0 - u) * first + u * second;
    double b = (double)valueOf(channel, spot.key)[channel->width + i];
    double a = (double)next[i - channel->width];
    double uu = u * u, uuu = uu * u;
    return (2.0 * uuu - 3.0 * uu + 1.0) * first + spot.span * (uuu - 2.0 * uu + u) * b +
           (3.0 * uu - 2.0 * uuu) * second + spot.span * (uuu - uu) * a;
}

static snQuat quatAt(const float *v)
{
    return snNormalizeQ((snQuat){(double)v[0], (double)v[1], (double)v[2], (double)v[3]});
}

static snQuat sampleRotation(const snChannel *channel, Spot spot)
{
    if (channel->interpolation == SN_LINEAR && spot.span > 0.0)
        return snSlerp(quatAt(valueOf(channel, spot.key)), quatAt(valueOf(channel, spot.key + 1)),
                       spot.u);
    return snNormalizeQ((snQuat){component(channel, spot, 0), component(channel, spot, 1),
                                 component(channel, spot, 2), component(channel, spot, 3)});
}

static snVec3 sampleVector(const snChannel *channel, Spot spot)
{
    return snVec(component(channel, spot, 0), component(channel, spot, 1),
                 component(channel, spot, 2));
}

static void sampleChannel(const snChannel *channel, double t, snPose *pose)
{
    if (channel->keyCount < 1) return;
    Spot spot = findSpot(channel, t);
    switch (channel->path) {
    case SN_PATH_TRANSLATION:
        pose->local[channel->joint].translation = sampleVector(channel, spot);
        break;
    case SN_PATH_ROTATION:
        pose->local[channel->joint].rotation = sampleRotation(channel, spot);
        break;
    case SN_PATH_SCALE:
        pose->local[channel->joint].scale = sampleVector(channel, spot);
        break;
    case SN_PATH_MORPHS:
        for (int i = 0; i < channel->width; i++)
            pose->morphs[channel->joint + i] = component(channel, spot, i);
        break;
    }
}

void snClip_Sample(const snClip *clip, double t, snPose *pose)
{
    for (int c = 0; c < clip->channelCount; c++)
        sampleChannel(&clip->channels[c], t, pose);
}
