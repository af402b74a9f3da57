// The models by name, and their documents: OBJ with colours behind the positions, lattices as JSON.
#include "scenes.h"

#include "asset/json_write.h"
#include "asset/sink.h"
#include "body/lattice/lattice_file.h"
#include "core/error.h"

snStatus snModel_Make(snModel *model, snModelKind kind, snArena *arena, const snContext *context,
                      snError *error)
{
    snStatus (*const make[MODEL_COUNT])(snModel *, snArena *, const snContext *, snError *) = {
        snDragon_Make, snDuck_Make, snCucumber_Make, snStar_Make, snLimb_Make, snLeaf_Make};
    *model = (snModel){0};
    snStatus status = make[kind](model, arena, context, error);
    for (int c = 0; c < model->controlCount && !status; c++)
        status = snLattice_Check(&model->controls[c].lattice, context, error);
    return status;
}

// ---- colours ----------------------------------------------------------------------------------------

snStatus snModel_Paint(snModel *model, const void *creature, snPaint paint, snArena *arena,
                       snError *error)
{
    int count = model->surface.vertexCount;
    snVec3 *normals = SN_NEW(arena, snVec3, count);
    model->tints = SN_NEW(arena, snTint, count);
    if (!normals || !model->tints) return snFailMemory(error);
    snMesh_Normals(&model->surface, normals);
    for (int v = 0; v < count; v++)
        model->tints[v] = paint(creature, model->surface.positions[v], normals[v]);
    return SN_OK;
}

// ---- documents --------------------------------------------------------------------------------------

static snStatus appendBytes(void *user, const void *bytes, size_t size, snError *error)
{
    (void)error;
    snBytes_Append(user, bytes, size);
    return SN_OK;
}

static void putNumbers(snTextSink *out, const char *word, const float *numbers, int count)
{
    snTextSink_Put(out, word);
    for (int k = 0; k < count; k++) {
        snTextSink_Put(out, " ");
        snTextSink_Float(out, numbers[k]);
    }
}

static void putFaces(snTextSink *out, const snModel *model)
{
    for (int t = 0; t < model->surface.triangleCount; t++) {
        snTextSink_Put(out, "f");
        for (int k = 0; k < 3; k++) {
            int number = model->surface.triangles[3 * t + k] + 1;
            snTextSink_Put(out, " ");
            snTextSink_Int(out, number);
            if (!model->normals) continue;
            snTextSink_Put(out, "//");
            snTextSink_Int(out, number);
        }
        snTextSink_Put(out, "\n");
    }
}

// Four digits are enough of a colour.
static float rounded(float x)
{
    return (float)floor((double)x * 1e4 + 0.5) * 1e-4f;
}

void snModel_WriteObj(const snModel *model, snBytes *bytes)
{
    snTextSink out;
    snTextSink_Begin(&out, (snSink){appendBytes, bytes}, NULL);
    snTextSink_Put(&out, "o ");
    snTextSink_Put(&out, model->name);
    snTextSink_Put(&out, "\n");
    for (int v = 0; v < model->surface.vertexCount; v++) {
        snVec3f p = snToF(model->surface.positions[v]);
        snTint tint = model->tints[v];
        putNumbers(&out, "v", (float[]){p.x, p.y, p.z}, 3);
        putNumbers(&out, "", (float[]){rounded(tint.r), rounded(tint.g), rounded(tint.b)}, 3);
        snTextSink_Put(&out, "\n");
    }
    for (int v = 0; v < model->surface.vertexCount && model->normals; v++) {
        putNumbers(&out, "vn", &model->normals[v].x, 3);
        snTextSink_Put(&out, "\n");
    }
    putFaces(&out, model);
    snTextSink_End(&out);
}

void snControl_WriteJson(const snControl *control, snBytes *bytes)
{
    snSkeleton none = {0};
    snJsonWriter writer = snMakeJsonWriter(bytes, true);
    snLattice_WriteJson(&control->lattice, false, &none, &writer); // not strict: there are no bones
    snBytes_AppendText(bytes, "\n");
}

void snControl_WriteStiffness(const snControl *control, snBytes *bytes)
{
    snJsonWriter writer = snMakeJsonWriter(bytes, true);
    snJsonWriter_BeginLine(&writer);
    for (int v = 0; v < control->lattice.vertexCount; v++)
        snJsonWriter_Double(&writer, control->stiffness[v]);
    snJsonWriter_EndArray(&writer);
    snBytes_AppendText(bytes, "\n");
}
