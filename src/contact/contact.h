// Contact, in three phases. Who may touch: pairs.h, over boxes. Where, and how deep: collider.h, shapes that all answer one question,
// how far is a point from you, which way is out, and how does your surface move there; shell.h has surfaces of triangles, and side.h from which side they are touched. And what
// comes of it: law.h, what two materials have between them; row.h, a contact as an impulse; solve.h, many of them at once. It may use
// core and geometry, and knows nothing of bodies: they are behind the two questions of solve.h. Begin with collider.h, then row.h.
#ifndef SN_CONTACT_CONTACT_H
#define SN_CONTACT_CONTACT_H

#include "contact/collider.h"
#include "contact/law.h"
#include "contact/pairs.h"
#include "contact/row.h"
#include "contact/shell.h"
#include "contact/side.h"
#include "contact/solve.h"

#endif
