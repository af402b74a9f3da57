// Skeletons to edit by hand: a small JSON file of joints and bones.
//     {
//       "joints": [
//         {"name": "hip", "at": [0, 1.2, 0]},
//         {"name": "knee", "ray": {"origin": [3, 0.6, 0], "direction": [-1, 0, 0]}}
//       ],
//       "bones": [["hip", "knee"]],
//       "root": "hip"
//     }
// A joint has a place, or a ray that goes through the flesh where it shall be (snPlaceByRay). The
// root is the first joint unless it is named.
#ifndef SN_CLI_SKELETON_FILE_H
#define SN_CLI_SKELETON_FILE_H

#include "asset/bytes.h"
#include "character/instrument.h"

// Fills an empty plan. Errors name the place in the file; unknown keys and names are errors, with a
// suggestion. So are joints farther outside the solid than a tenth of its size. Without a solid (NULL) joints may be
// anywhere, and rays are errors. Whether it is a tree is told by snRigPlan_Skeleton.
snStatus snSkeletonFile_Read(snRigPlan *plan, const char *text, size_t size, const snSolid *solid,
                             snError *error);

// Places are rounded to a hundred-thousandth of `extent`, the size of the character.
snStatus snSkeletonFile_Write(const snRigPlan *plan, double extent, snBytes *out, snError *error);

#endif
