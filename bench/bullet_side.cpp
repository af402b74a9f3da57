#include "bench/bullet_side.h"

#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletSoftBody/btDeformableBodySolver.h>
#include <BulletSoftBody/btDeformableGravityForce.h>
#include <BulletSoftBody/btDeformableLinearElasticityForce.h>
#include <BulletSoftBody/btDeformableMultiBodyConstraintSolver.h>
#include <BulletSoftBody/btDeformableMultiBodyDynamicsWorld.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <btBulletDynamicsCommon.h>

#include <memory>
#include <vector>

// Bullet's own default, written down: the number cannot be set from outside.
class OneNewtonIteration : public btDeformableBodySolver {
  public:
    OneNewtonIteration()
    {
        m_maxNewtonIterations = 1;
    }
};

struct snBullet {
    btSoftBodyRigidBodyCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    OneNewtonIteration solver;
    btDeformableMultiBodyConstraintSolver constraints;
    std::unique_ptr<btDeformableMultiBodyDynamicsWorld> world;
    std::unique_ptr<btSoftBody> body;
    std::unique_ptr<btDeformableLinearElasticityForce> elasticity;
    std::unique_ptr<btDeformableGravityForce> gravity;
    btScalar step;
};

static btVector3 pointOf(const snBulletDef *def, int vertex)
{
    const double *p = def->rest + 4 * vertex;
    return {btScalar(p[0]), btScalar(p[1]), btScalar(p[2])};
}

static void makeBody(snBullet *bullet, const snBulletDef *def)
{
    std::vector<btVector3> points;
    std::vector<btScalar> masses;
    for (int v = 0; v < def->vertexCount; v++) {
        points.push_back(pointOf(def, v));
        masses.push_back(btScalar(def->mass[v]));
    }
    btSoftBodyWorldInfo &info = bullet->world->getWorldInfo();
    bullet->body.reset(new btSoftBody(&info, def->vertexCount, points.data(), masses.data()));
    btSoftBody *body = bullet->body.get();
    for (int t = 0; t < def->tetCount; t++) {
        const int *c = def->corners + 4 * t;
        body->appendTetra(c[0], c[1], c[2], c[3]);
    }
    body->initializeDmInverse();
    body->m_tetraScratches.resize(body->m_tetras.size());
    body->m_tetraScratchesTn.resize(body->m_tetras.size());
    body->m_cfg.collisions = 0;
    body->setSelfCollision(false);
    body->setActivationState(DISABLE_DEACTIVATION);
    body->m_sleepingThreshold = 0;
    bullet->world->addSoftBody(body);
}

static void addForces(snBullet *bullet, const snBulletDef *def)
{
    btVector3 g(0, btScalar(def->gravity), 0);
    bullet->elasticity.reset(new btDeformableLinearElasticityForce);
    bullet->elasticity->setYoungsModulus(btScalar(def->young));
    bullet->elasticity->setPoissonRatio(btScalar(def->poisson));
    bullet->elasticity->setDamping(btScalar(def->massDamping), btScalar(def->stiffnessDamping));
    bullet->gravity.reset(new btDeformableGravityForce(g));
    bullet->world->addForce(bullet->body.get(), bullet->elasticity.get());
    bullet->world->addForce(bullet->body.get(), bullet->gravity.get());
}

snBullet *snBullet_Make(const snBulletDef *def)
{
    snBullet *bullet = new snBullet;
    bullet->step = btScalar(def->step);
    bullet->constraints.setDeformableSolver(&bullet->solver);
    bullet->world.reset(new btDeformableMultiBodyDynamicsWorld(
        &bullet->dispatcher, &bullet->broadphase, &bullet->constraints, &bullet->configuration,
        &bullet->solver));
    bullet->world->setGravity(btVector3(0, btScalar(def->gravity), 0));
    bullet->world->getWorldInfo().m_gravity.setValue(0, btScalar(def->gravity), 0);
    bullet->world->setImplicit(true);
    bullet->world->setLineSearch(false);
    bullet->world->setUseProjection(true);
    makeBody(bullet, def);
    addForces(bullet, def);
    return bullet;
}

void snBullet_Destroy(snBullet *bullet)
{
    if (!bullet) return;
    bullet->world->removeSoftBody(bullet->body.get());
    bullet->body.reset();
    bullet->world.reset();
    delete bullet;
}

void snBullet_Step(void *context)
{
    snBullet *bullet = static_cast<snBullet *>(context);
    bullet->world->stepSimulation(bullet->step, 0, bullet->step); // exactly one step
}

double snBullet_Y(const snBullet *bullet, int vertex)
{
    return double(bullet->body->m_nodes[vertex].m_x.y());
}
