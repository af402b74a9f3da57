// Nodes become joints, parents before children; skins refer to them.
#include "asset/gltf_reader.h"

#include <string.h>

// ---- the tree ----

static const char *nameOf(snGltfReader *reader, int node)
{
    const snJson *json = &reader->document.json;
    const char *name = "";
    (void)snJson_ReadString(json, snJson_At(json, reader->document.nodes, node), "name",
                            reader->document.arena, &name, NULL);
    return name;
}

// Checks that node `parent` may call `child` its child, and notes it.
static snStatus adopt(snGltfReader *reader, const snJsonNode *reference, int *parents, int parent,
                      snError *error)
{
    const snJson *json = &reader->document.json;
    int child = 0;
    snStatus status = snJson_AsInt(json, reference, 0, reader->nodeCount - 1, &child, error);
    if (status) return status;
    if (parents[child] >= 0)
        return snFail(error, SN_ERROR_FORMAT,
                      "nodes[%d] ('%.60s') is a child of both nodes[%d] and nodes[%d]", child,
                      nameOf(reader, child), parents[child], parent);
    parents[child] = parent;
    return SN_OK;
}

static snStatus readParents(snGltfReader *reader, int *parents, snError *error)
{
    const snJson *json = &reader->document.json;
    snStatus status = SN_OK;
    for (int n = 0; n < reader->nodeCount; n++)
        parents[n] = -1;
    for (int n = 0; n < reader->nodeCount && !status; n++) {
        const snJsonNode *children;
        status = snJson_ReadNode(json, snJson_At(json, reader->document.nodes, n), "children",
                                 SN_JSON_ARRAY, &children, error);
        for (int i = 0; i < snJson_Count(children) && !status; i++)
            status = adopt(reader, snJson_At(json, children, i), parents, n, error);
    }
    return status;
}

static int childOf(const snGltfReader *reader, int node, int index)
{
    const snJson *json = &reader->document.json;
    const snJsonNode *children =
        snJson_Member(json, snJson_At(json, reader->document.nodes, node), "children");
    int child = -1;
    if (index < snJson_Count(children))
        (void)snJson_AsInt(json, snJson_At(json, children, index), 0, reader->nodeCount - 1, &child,
                           NULL);
    return child;
}

// Depth first from each root, in the file's order, with a stack of our own. Every node has at most
// one parent, so that a node that no root leads to lies on or below a cycle.
static snStatus orderNodes(snGltfReader *reader, const int *parents, int *nodeOfJoint,
                           snError *error)
{
    int count = reader->nodeCount, placed = 0;
    int *stack = SN_NEW(reader->document.arena, int, count);
    int *next = SN_NEW(reader->document.arena, int, count);
    if (!stack || !next) return snFailMemory(error);
    for (int n = 0; n < count; n++)
        reader->jointOfNode[n] = -1;
    for (int root = 0; root < count; root++) {
        if (parents[root] >= 0) continue;
        int depth = 0;
        stack[depth++] = root;
        while (depth > 0) {
            int node = stack[depth - 1];
            if (next[node] == 0) {
                reader->jointOfNode[node] = placed;
                nodeOfJoint[placed++] = node;
            }
            int child = childOf(reader, node, next[node]++);
            if (child >= 0)
                stack[depth++] = child;
            else
                depth--;
        }
    }
    for (int n = 0; n < count && placed < count; n++)
        if (reader->jointOfNode[n] < 0)
            return snFail(error, SN_ERROR_FORMAT,
                          "nodes[%d] ('%.60s') is in a circle of children and parents", n,
                          nameOf(reader, n));
    return SN_OK;
}

// ---- one node ----

// glTF's matrices are stored by columns; the last row is (0, 0, 0, 1).
static snAffine affineOf(const double *m)
{
    return (snAffine){{{m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}},
                      {m[12], m[13], m[14]}};
}

static snStatus readTransform(snGltfReader *reader, const snJsonNode *node, snJoint *joint,
                              snError *error)
{
    const snJson *json = &reader->document.json;
    double t[3] = {0, 0, 0}, r[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1}, m[16];
    snStatus status = snJson_ReadDoubles(json, node, "translation", 3, t, error);
    if (!status) status = snJson_ReadDoubles(json, node, "rotation", 4, r, error);
    if (!status) status = snJson_ReadDoubles(json, node, "scale", 3, s, error);
    if (!status) status = snJson_ReadDoubles(json, node, "matrix", 16, m, error);
    if (status) return status;
    snQuat rotation = {r[0], r[1], r[2], r[3]};
    if (snDotQ(rotation, rotation) < 1e-12) {
        snLog(reader->document.context, SN_LOG_WARNING,
              "nodes[%d]: a rotation of zero length is taken for none", node->index);
        rotation = snIdentityQuat();
    }
    joint->rest = (snTransform){snVec(t[0], t[1], t[2]), rotation, snVec(s[0], s[1], s[2])};
    joint->hasMatrix = snJson_Member(json, node, "matrix") != NULL;
    if (joint->hasMatrix) {
        joint->matrix = affineOf(m);
        joint->rest = snTransform_FromAffine(joint->matrix);
    }
    return SN_OK;
}

static snStatus readJoint(snGltfReader *reader, int node, int parent, snError *error)
{
    const snJson *json = &reader->document.json;
    const snJsonNode *object = snJson_At(json, reader->document.nodes, node);
    snJoint *joint = &reader->character->skeleton.joints[reader->jointOfNode[node]];
    joint->name = "";
    joint->fileNode = node;
    joint->parent = parent < 0 ? -1 : reader->jointOfNode[parent];
    snStatus status =
        snJson_ReadString(json, object, "name", &reader->character->arena, &joint->name, error);
    return status ? status : readTransform(reader, object, joint, error);
}

// ---- the default scene ----

// Marks what the scene shows; without scenes, everything.
static snStatus markScene(snGltfReader *reader, const int *nodeOfJoint, const int *parents,
                          snError *error)
{
    const snJson *json = &reader->document.json;
    const snJsonNode *scene, *roots;
    snStatus status = snGltf_ReadReference(&reader->document, json->root, "scene",
                                           reader->document.scenes, &scene, error);
    if (status) return status;
    if (!scene) scene = snJson_At(json, reader->document.scenes, 0);
    if (!scene) {
        memset(reader->inScene, 1, (size_t)reader->nodeCount);
        return SN_OK;
    }
    status = snJson_ReadNode(json, scene, "nodes", SN_JSON_ARRAY, &roots, error);
    for (int i = 0; i < snJson_Count(roots) && !status; i++) {
        int node = 0;
        status =
            snJson_AsInt(json, snJson_At(json, roots, i), 0, reader->nodeCount - 1, &node, error);
        if (!status) reader->inScene[node] = 1;
    }
    for (int j = 0; j < reader->nodeCount; j++) {
        int node = nodeOfJoint[j];
        if (parents[node] >= 0 && reader->inScene[parents[node]]) reader->inScene[node] = 1;
    }
    return status;
}

snStatus snGltf_ReadNodes(snGltfReader *reader, snError *error)
{
    snArena *scratch = reader->document.arena;
    int count = snJson_Count(reader->document.nodes);
    snSkeleton *skeleton = &reader->character->skeleton;
    reader->nodeCount = count;
    reader->jointOfNode = SN_NEW(scratch, int, count);
    reader->inScene = SN_NEW(scratch, unsigned char, count);
    int *parents = SN_NEW(scratch, int, count);
    int *nodeOfJoint = SN_NEW(scratch, int, count);
    skeleton->joints = SN_NEW(&reader->character->arena, snJoint, count);
    if (!reader->jointOfNode || !reader->inScene || !parents || !nodeOfJoint || !skeleton->joints)
        return snFailMemory(error);
    skeleton->jointCount = count;
    snStatus status = readParents(reader, parents, error);
    if (!status) status = orderNodes(reader, parents, nodeOfJoint, error);
    for (int j = 0; j < count && !status; j++)
        status = readJoint(reader, nodeOfJoint[j], parents[nodeOfJoint[j]], error);
    return status ? status : markScene(reader, nodeOfJoint, parents, error);
}

// ---- skins ----

static snStatus readInverseBinds(snGltfReader *reader, const snJsonNode *object, snSkin *skin,
                                 snError *error)
{
    const snJson *json = &reader->document.json;
    const snJsonNode *reference = snJson_Member(json, object, "inverseBindMatrices");
    for (int i = 0; i < skin->jointCount; i++)
        skin->inverseBind[i] = snIdentityAffine();
    if (!reference) return SN_OK;
    snGltfAccessor accessor;
    float *values = NULL;
    snStatus status = snGltf_OpenAccessor(&reader->document, reference, &accessor, error);
    if (status) return status;
    if (accessor.width != 16 || accessor.rows != 4 || accessor.count < skin->jointCount)
        return snJson_Fail(json, reference, error, SN_ERROR_FORMAT,
                           "%d elements of %d numbers, where %d matrices (MAT4) are needed",
                           accessor.count, accessor.width, skin->jointCount);
    status =
        snGltf_ReadFloats(&reader->document, &accessor, reader->document.arena, &values, error);
    if (status) return status;
    for (int i = 0; i < skin->jointCount; i++) {
        double m[16];
        bool finite = true;
        for (int k = 0; k < 16; k++) {
            m[k] = (double)values[16 * i + k];
            finite = finite && isfinite(m[k]);
        }
        if (!finite)
            return snJson_Fail(json, reference, error, SN_ERROR_FORMAT,
                               "the matrix of joint %d is not finite", i);
        skin->inverseBind[i] = affineOf(m);
    }
    return SN_OK;
}

static snStatus readSkin(snGltfReader *reader, const snJsonNode *object, snSkin *skin,
                         snError *error)
{
    const snJson *json = &reader->document.json;
    snArena *arena = &reader->character->arena;
    const snJsonNode *joints;
    skin->name = "";
    snStatus status = snJson_ReadString(json, object, "name", arena, &skin->name, error);
    if (!status) status = snJson_ReadNode(json, object, "joints", SN_JSON_ARRAY, &joints, error);
    if (status) return status;
    skin->jointCount = snJson_Count(joints);
    if (skin->jointCount == 0)
        return snJson_Fail(json, object, error, SN_ERROR_FORMAT, "a skin without joints");
    skin->joints = SN_NEW(arena, int, skin->jointCount);
    skin->inverseBind = SN_NEW(arena, snAffine, skin->jointCount);
    if (!skin->joints || !skin->inverseBind) return snFailMemory(error);
    for (int i = 0; i < skin->jointCount; i++) {
        int node = 0;
        status =
            snJson_AsInt(json, snJson_At(json, joints, i), 0, reader->nodeCount - 1, &node, error);
        if (status) return status;
        skin->joints[i] = reader->jointOfNode[node];
    }
    return readInverseBinds(reader, object, skin, error);
}

snStatus snGltf_ReadSkins(snGltfReader *reader, snError *error)
{
    snCharacter *character = reader->character;
    int count = snJson_Count(reader->document.skins);
    character->skins = SN_NEW(&character->arena, snSkin, count);
    if (!character->skins) return snFailMemory(error);
    character->skinCount = count;
    snStatus status = SN_OK;
    for (int i = 0; i < count && !status; i++)
        status = readSkin(reader, snJson_At(&reader->document.json, reader->document.skins, i),
                          &character->skins[i], error);
    return status;
}
