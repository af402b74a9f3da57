// A picture of a rig: bones and lattice around a glass body, and the lattice cut open, its cells
// coloured by their stiffness.
#ifndef SN_CLI_RIG_PICTURE_H
#define SN_CLI_RIG_PICTURE_H

#include "body/lattice/flesh.h"
#include "render/image.h"

// The image is made and belongs to the caller.
snStatus snRigPicture_Draw(const snFlesh *flesh, snImage *image, const snContext *context,
                           snError *error);

#endif
