// Bullet as the other side of a comparison: the same block of tets as an implicit deformable body of
// linear corotated elasticity, one Newton iteration per step, no collisions. Built only where Bullet
// is installed (SN_HAVE_BULLET).
#ifndef SN_BENCH_BULLET_SIDE_H
#define SN_BENCH_BULLET_SIDE_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snBulletDef {
    int vertexCount;
    const double *rest; // [vertexCount][4], metres
    const double *mass; // [vertexCount], kg; 0: fixed
    int tetCount;
    const int *corners; // [tetCount][4]
    double young, poisson, massDamping, stiffnessDamping;
    double gravity; // m/s², along y
    double step;    // s
} snBulletDef;

typedef struct snBullet snBullet;
snBullet *snBullet_Make(const snBulletDef *def);
void snBullet_Destroy(snBullet *bullet);
void snBullet_Step(void *bullet);                      // for snContestant
double snBullet_Y(const snBullet *bullet, int vertex); // where a vertex is now

#ifdef __cplusplus
}
#endif

#endif
