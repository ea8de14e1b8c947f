// SPDX-License-Identifier: Apache-2.0
// Rapier on a scene description.   repose-peer-rapier DESCRIPTION SETTING STEPS SECONDS OUT
//
// OUT becomes doubles: per state, starting with the first, the CPU milliseconds of the step that led to it, then 13 numbers
// per body (position of its frame, quaternion w first, velocity of the mass centre, angular velocity).
use rapier3d::prelude::*;
use serde_json::Value;
use std::error::Error;
use std::io::Write;

fn numbers(value: &Value, missing: &[f64]) -> Vec<f64> {
    match value.as_array() {
        Some(list) => list.iter().map(|x| x.as_f64().unwrap_or(f64::NAN)).collect(),
        None => missing.to_vec(),
    }
}

fn vector(v: &[f64]) -> Vector {
    Vector::new(v[0] as Real, v[1] as Real, v[2] as Real)
}

fn cpu_ms() -> f64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut t) };
    1e3 * t.tv_sec as f64 + 1e-6 * t.tv_nsec as f64
}

fn shape(value: &Value) -> Result<ColliderBuilder, Box<dyn Error>> {
    Ok(match value["type"].as_str().unwrap_or("") {
        "plane" => ColliderBuilder::new(SharedShape::halfspace(Vector::Z)),
        "sphere" => ColliderBuilder::ball(value["radius"].as_f64().ok_or("radius")? as Real),
        "box" => {
            let h = numbers(&value["half"], &[]);
            ColliderBuilder::cuboid(h[0] as Real, h[1] as Real, h[2] as Real)
        }
        "capsule" | "cylinder" => {
            let half = value["half_length"].as_f64().ok_or("half_length")? as Real;
            let radius = value["radius"].as_f64().ok_or("radius")? as Real;
            match value["type"].as_str() {
                Some("capsule") => ColliderBuilder::capsule_z(half, radius),
                _ => ColliderBuilder::cylinder(half, radius),
            }
        }
        "hull" => {
            let list = value["vertices"].as_array().ok_or("vertices")?;
            let points: Vec<Vector> = list.iter().map(|v| vector(&numbers(v, &[]))).collect();
            ColliderBuilder::convex_hull(&points).ok_or("a hull without volume")?
        }
        other => return Err(format!("shape type {other}").into()),
    })
}

fn mass(value: &Value) -> MassProperties {
    let rows: Vec<Vec<f64>> = (0..3).map(|k| numbers(&value["inertia"][k], &[])).collect();
    let column = |k: usize| vector(&[rows[0][k], rows[1][k], rows[2][k]]);
    let inertia = Matrix::from_cols(column(0), column(1), column(2));
    let weight = value["mass"].as_f64().unwrap_or(f64::NAN) as Real;
    MassProperties::with_inertia_matrix(vector(&numbers(&value["centre"], &[0.0; 3])), weight, inertia)
}

fn pose(body: &Value) -> Pose {
    let p = numbers(&body["position"], &[0.0; 3]);
    let q = numbers(&body["rotation"], &[1.0, 0.0, 0.0, 0.0]);
    let rotation = Rotation::from_xyzw(q[1] as Real, q[2] as Real, q[3] as Real, q[0] as Real).normalize();
    Pose::from_parts(vector(&p), rotation)
}

/// Where a shape sits in its body. Cylinders of Rapier stand along y, ours along z.
fn place(value: &Value) -> Pose {
    let p = pose(value);
    if value["type"].as_str() != Some("cylinder") {
        return p;
    }
    let half = std::f64::consts::FRAC_1_SQRT_2 as Real;
    Pose::from_parts(p.translation, p.rotation * Rotation::from_xyzw(half, 0.0, 0.0, half))
}

fn add(world: &mut PhysicsWorld, body: &Value, friction: Real) -> Result<RigidBodyHandle, Box<dyn Error>> {
    let moves = body["kind"].as_str().unwrap_or("dynamic") == "dynamic";
    let builder = if moves { RigidBodyBuilder::dynamic() } else { RigidBodyBuilder::fixed() };
    let builder = builder
        .pose(pose(body))
        .linvel(vector(&numbers(&body["velocity"], &[0.0; 3])))
        .angvel(vector(&numbers(&body["angular_velocity"], &[0.0; 3])))
        .can_sleep(false)
        .allow_fast_rotation(true)
        .gyroscopic_forces_enabled(true);
    let builder = if moves { builder.additional_mass_properties(mass(&body["mass"])) } else { builder };
    let handle = world.bodies.insert(builder);
    for value in body["shapes"].as_array().ok_or("shapes")? {
        let collider = shape(value)?.position(place(value)).density(0.0).friction(friction).restitution(0.0);
        world.colliders.insert_with_parent(collider, handle, &mut world.bodies);
    }
    Ok(handle)
}

fn parameters(scene: &Value, setting: &Value) -> IntegrationParameters {
    let mut p = IntegrationParameters::default();
    p.dt = (scene["dt"].as_f64().unwrap_or(1.0 / 60.0) / setting["substeps"].as_f64().unwrap_or(1.0)) as Real;
    p.num_solver_iterations = setting["iterations"].as_u64().unwrap_or(4) as usize;
    p.num_internal_pgs_iterations = setting["pgs"].as_u64().unwrap_or(1) as usize;
    p.length_unit = setting["length_unit"].as_f64().unwrap_or(1.0) as Real;
    if setting["friction"].as_str() == Some("coulomb") {
        p.friction_model = FrictionModel::Coulomb;
    }
    p
}

fn main() -> Result<(), Box<dyn Error>> {
    let given: Vec<String> = std::env::args().collect();
    let scene: Value = serde_json::from_str(&std::fs::read_to_string(&given[1])?)?;
    let setting: Value = serde_json::from_str(&given[2])?;
    let (steps, seconds): (usize, f64) = (given[3].parse()?, given[4].parse()?);
    let substeps = setting["substeps"].as_u64().unwrap_or(1);
    let mut world = PhysicsWorld::default();
    world.gravity = vector(&numbers(&scene["gravity"], &[0.0, 0.0, -9.81]));
    world.integration_parameters = parameters(&scene, &setting);
    let friction = scene["materials"][0]["friction"].as_f64().ok_or("friction")? as Real;
    let mut handles = Vec::new();
    for body in scene["bodies"].as_array().ok_or("bodies")? {
        handles.push(add(&mut world, body, friction)?);
    }
    let mut rows: Vec<f64> = Vec::new();
    let mut keep = |world: &PhysicsWorld, ms: f64| {
        rows.push(ms);
        for handle in &handles {
            let b = &world.bodies[*handle];
            let (p, q, v, w) = (b.position().translation, b.rotation(), b.linvel(), b.angvel());
            rows.extend([p.x, p.y, p.z, q.w, q.x, q.y, q.z, v.x, v.y, v.z, w.x, w.y, w.z].map(|x| x as f64));
        }
    };
    keep(&world, 0.0);
    let begin = cpu_ms();
    for _ in 0..steps {
        let start = cpu_ms();
        for _ in 0..substeps {
            world.step();
        }
        keep(&world, cpu_ms() - start);
        if cpu_ms() - begin > 1e3 * seconds {
            break;
        }
    }
    let mut file = std::io::BufWriter::new(std::fs::File::create(&given[5])?);
    for x in &rows {
        file.write_all(&x.to_le_bytes())?;
    }
    println!("{}", rapier3d::VERSION);
    Ok(())
}
