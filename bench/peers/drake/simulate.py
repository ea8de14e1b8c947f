# SPDX-License-Identifier: Apache-2.0
"""Drake: hydroelastic contact, discrete solvers SAP and lagged, and CENIC with error control. The settings and their reasons: docs/peers/settings.md."""
import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parent.parent))
import simulation  # noqa: E402

# Hydroelastic modulus, Pa: for each scene the best of a sweep over powers of ten (sink and creep of the structures, the flat
# slide of the cube). The longer arch flies apart under SAP from 1e9 on.
MODULUS = {"cards": 1e8, "arch-25": 1e10, "arch-101": 1e9, "stack": 1e9, "incline": 1e7, "launched": 1e6}
MODULUS_SAP = MODULUS | {"arch-101": 1e8}
POINT_STIFFNESS = {"sap": 1e5, "lagged": 1e8}  # N/m, of balls, which touch in one point; the best of a sweep
OVERLAP = 5e-4  # m, by which every surface is moved out: in exact touch there is no pressure and every body falls for a step
DISSIPATION = 50.0  # s/m, Hunt-Crossley; its own default


class Drake:
    def __init__(self, scene, setting):
        import pydrake.all as drake
        from importlib.metadata import version

        self.drake, self.version, self.scene = drake, version("drake"), scene
        moduli = MODULUS_SAP if setting["approximation"] == "sap" else MODULUS
        self.modulus = moduli.get(scene["name"]) or moduli.get(scene["name"].split("-")[0])
        self.point_stiffness = POINT_STIFFNESS[setting["approximation"]]
        self.overlap = OVERLAP if sum(simulation.is_dynamic(b) for b in scene["bodies"]) > 1 else 0.0
        self.cenic = setting.get("integration") == "cenic"
        builder = drake.DiagramBuilder()
        self.plant, _ = drake.AddMultibodyPlant(self.plant_config(setting), builder)
        self.plant.mutable_gravity_field().set_gravity_vector(scene["gravity"])
        self.bodies = [self.add(k, body) for k, body in enumerate(scene["bodies"])]
        self.plant.Finalize()
        self.simulator = drake.Simulator(builder.Build())
        if self.cenic:
            drake.ApplySimulatorConfig(drake.SimulatorConfig(integration_scheme="cenic", max_step_size=float(scene["dt"]),
                                                             accuracy=setting["accuracy"]), self.simulator)
        self.context = self.plant.GetMyMutableContextFromRoot(self.simulator.get_mutable_context())
        self.start, self.time, self.dt = simulation.start_state(scene), 0.0, float(scene["dt"])
        for body, pose, v, w, b in zip(self.bodies, self.poses(), self.start[2], self.start[3], scene["bodies"]):
            if simulation.is_dynamic(b):
                self.plant.SetFreeBodyPose(self.context, body, pose)
                arm = pose.rotation() @ np.array(b["mass"]["centre"])
                self.plant.SetFreeBodySpatialVelocity(self.context, body, drake.SpatialVelocity(w, v - np.cross(w, arm)))
        self.simulator.Initialize()

    def plant_config(self, setting):
        """CENIC takes a plant without a time step of its own, and chooses its steps itself."""
        return self.drake.MultibodyPlantConfig(
            time_step=0.0 if self.cenic else self.scene["dt"] / setting.get("substeps", 1),
            contact_model="hydroelastic_with_fallback", discrete_contact_approximation=setting["approximation"],
            stiction_tolerance=1e-4, use_sampled_output_ports=False)

    def poses(self):
        return [self.pose(b) for b in self.scene["bodies"]]

    def pose(self, body):
        q = np.array(body.get("rotation", [1, 0, 0, 0]), dtype=float)
        return self.drake.RigidTransform(self.drake.Quaternion(q / np.linalg.norm(q)), body.get("position", [0, 0, 0]))

    def add(self, index, body):
        d, plant = self.drake, self.plant
        moves, shape = simulation.is_dynamic(body), simulation.grown(body["shapes"][0], self.overlap)
        if moves:
            m, i = body["mass"], np.array(body["mass"]["inertia"])
            central = d.UnitInertia(*(np.array([i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]]) / m["mass"]))
            inertia = d.SpatialInertia(m["mass"], m["centre"], central.ShiftFromCenterOfMass(m["centre"]))
            target, pose = plant.AddRigidBody(f"body{index}", inertia), d.RigidTransform()
        else:
            target, pose = plant.world_body(), self.pose(body)
        plant.RegisterCollisionGeometry(target, pose, self.shape(index, shape), f"geometry{index}", self.properties(shape))
        return target

    def shape(self, index, shape):
        d = self.drake
        if shape["type"] == "plane":
            return d.HalfSpace()
        if shape["type"] == "box":
            return d.Box(*(2 * h for h in shape["half"]))
        if shape["type"] == "sphere":
            return d.Sphere(shape["radius"])
        return d.Convex(np.array(shape["vertices"]).T, f"hull{index}")

    def properties(self, shape):
        d, found, mu = self.drake, self.drake.ProximityProperties(), simulation.friction_of(self.scene)
        if shape["type"] == "plane":
            d.AddRigidHydroelasticProperties(1.0, found)
        elif shape["type"] != "sphere":  # a ball would become a polyhedron: point contact is exact for it
            d.AddCompliantHydroelasticProperties(0.5 * simulation.body_edge({"shapes": [shape]}), self.modulus, found)
        d.AddContactMaterial(dissipation=DISSIPATION, point_stiffness=self.point_stiffness, friction=d.CoulombFriction(mu, mu),
                             properties=found)
        found.AddProperty("material", "relaxation_time", 0.5 * float(self.scene["dt"]))
        return found

    def step(self):
        self.time += self.dt
        self.simulator.AdvanceTo(self.time)

    def state(self):
        position, quaternion, velocity, spin = (values.copy() for values in self.start)
        for k, body in enumerate(self.scene["bodies"]):
            if simulation.is_dynamic(body):
                X = self.plant.EvalBodyPoseInWorld(self.context, self.bodies[k])
                V = self.plant.EvalBodySpatialVelocityInWorld(self.context, self.bodies[k])
                position[k], quaternion[k] = X.translation(), X.rotation().ToQuaternion().wxyz()
                spin[k] = V.rotational()
                velocity[k] = V.translational() + np.cross(spin[k], X.rotation() @ np.array(body["mass"]["centre"]))
        return position, quaternion, velocity, spin


if __name__ == "__main__":
    simulation.limit_threads()
    simulation.main(Drake)
