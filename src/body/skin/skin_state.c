// What a skin body is saved of, with all its levels.
#include "body/saved.h"
#include "body/skin/skin_body_parts.h"
#include "core/error.h"

// What stands before the skin's own: time, where it was put and leads to, points.
#define PARTS 5

static void listParts(const SkinBody *self, snSavedPart parts[PARTS])
{
    parts[0] = (snSavedPart){(void *)&self->time, sizeof self->time};
    parts[1] = (snSavedPart){(void *)&self->place, sizeof self->place};
    parts[2] =
        (snSavedPart){self->driven, (size_t)self->skin->muscles.frameCount * sizeof(snAffine)};
    parts[3] = (snSavedPart){self->points, (size_t)self->body.mostPoints * sizeof(Point)};
    parts[4] = (snSavedPart){self->press.state, snSkinPress_SaveSize(&self->press)};
}

static size_t sizeOne(const SkinBody *self)
{
    snSavedPart parts[PARTS];
    listParts(self, parts);
    size_t size = snSaved_Size(PARTS, parts) + snElasticSkin_SaveSize(self->skin);
    return size + (self->links ? snSkinLinks_SaveSize(self->links) : 0);
}

static void saveOne(const SkinBody *self, char *at)
{
    snSavedPart parts[PARTS];
    listParts(self, parts);
    at = snSaved_Write(PARTS, parts, at);
    snElasticSkin_Save(self->skin, at);
    if (self->links) snSkinLinks_Save(self->links, at + snElasticSkin_SaveSize(self->skin));
}

static void restoreOne(SkinBody *self, const char *at)
{
    snSavedPart parts[PARTS];
    listParts(self, parts);
    at = snSaved_Read(PARTS, parts, at);
    snElasticSkin_Restore(self->skin, at);
    if (self->links) snSkinLinks_Restore(self->links, at + snElasticSkin_SaveSize(self->skin));
    carryFrames(self);
    memcpy(self->muscles, self->skin->muscles.shape[1],
           (size_t)self->skin->muscles.count * sizeof(snSkinMuscle));
}

// All levels, and before them which one moves.
size_t snSkinBody_SaveSize(const snBody *body)
{
    const SkinBody *self = (const SkinBody *)body;
    size_t size = self->levels ? sizeof self->levels->at : 0;
    for (int k = 0; k < countLevels(self); k++)
        size += sizeOne(levelOf(self, k));
    return size;
}

void snSkinBody_Save(const snBody *body, void *bytes)
{
    const SkinBody *self = (const SkinBody *)body;
    char *at = bytes;
    if (self->levels) {
        memcpy(at, &self->levels->at, sizeof self->levels->at);
        at += sizeof self->levels->at;
    }
    for (int k = 0; k < countLevels(self); at += sizeOne(levelOf(self, k++)))
        saveOne(levelOf(self, k), at);
}

snStatus snSkinBody_Restore(snBody *body, const void *bytes, snError *error)
{
    SkinBody *self = (SkinBody *)body;
    const char *at = bytes;
    if (self->levels) {
        int level;
        memcpy(&level, at, sizeof level);
        at += sizeof level;
        if (level < 0 || level >= self->levels->count)
            return snFail(error, SN_ERROR_FORMAT,
                          "body \"%s\" has %d levels and was saved at level %d", body->name,
                          self->levels->count, level);
        self->levels->at = level;
    }
    for (int k = 0; k < countLevels(self); at += sizeOne(levelOf(self, k++)))
        restoreOne(levelOf(self, k), at);
    return SN_OK;
}
