// Contact: what bodies may not pass through, as shapes that all answer one question: how far is a
// point from you, which way is out, and how does your surface move there. It may use core and
// geometry, and knows nothing of bodies: each model of a body has its own answer to a touch. Begin
// with collider.h; shell.h has surfaces of triangles.
#ifndef SN_CONTACT_CONTACT_H
#define SN_CONTACT_CONTACT_H

#include "contact/collider.h"
#include "contact/shell.h"

#endif
