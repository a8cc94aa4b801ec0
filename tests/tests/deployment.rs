//! Image, Compose files, Helm chart and system unit. They cannot be run here; what they name must exist all the same:
//! flags, variables, files, ports and paths.

use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use testkit::{Folder, Output, TestGateway, lockgate, repository};

const DOCKERFILE: &str = "examples/docker/Dockerfile";
const CHART: &str = "examples/helm/lockgate";

/// Where the gateway listens in a container.
const PORT: u64 = 3001;

fn read(path: &str) -> String {
    std::fs::read_to_string(repository(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn yaml(path: &str) -> Value {
    parse(path, &read(path))
}

fn parse(path: &str, text: &str) -> Value {
    serde_saphyr::from_str(text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The rest of every line of the image that begins with a word; a line that ends in a backslash goes on.
fn instructions(word: &str) -> Vec<String> {
    let text = read(DOCKERFILE).replace("\\\n", " ");
    let lines = text.lines().filter_map(|line| line.strip_prefix(word)?.strip_prefix(' '));
    lines.map(|rest| rest.trim().to_owned()).collect()
}

/// What an expression of a template stands for.
fn value_of(expression: &str, values: &Value, release: &str) -> String {
    let mut parts = expression.split('|').map(str::trim);
    let first = parts.next().unwrap_or_default();
    let (written, path) = first.strip_prefix("toJson ").map_or((false, first), |path| (true, path.trim()));
    let root = json!({"Values": values, "Release": {"Name": release, "Namespace": "space"}});
    let pointer = path.replace('.', "/");
    let value = root.pointer(&pointer).unwrap_or_else(|| panic!("nothing gives {path}"));
    let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mut text = if written { value.to_string() } else { plain(value) };
    for filter in parts {
        text = match filter {
            "quote" => json!(text).to_string(),
            "sha256sum" => "digest".into(),
            "indent 4" => text.lines().map(|line| format!("    {line}\n")).collect(),
            other => panic!("{other} is not known here"),
        };
    }
    text
}

/// A template as Helm would write it, with the values that come with the chart.
fn rendered(file: &str) -> Value {
    rendered_as("gate", file)
}

/// The same for a release of that name.
fn rendered_as(release: &str, file: &str) -> Value {
    let path = format!("{CHART}/templates/{file}");
    let (values, text) = (yaml(&format!("{CHART}/values.yaml")), read(&path));
    let (mut plain, mut rest) = (String::new(), text.as_str());
    while let Some((before, after)) = rest.split_once("{{") {
        let (inside, after) = after.split_once("}}").expect("braces are closed");
        plain.push_str(before);
        plain.push_str(&value_of(inside.trim(), &values, release));
        rest = after;
    }
    plain.push_str(rest);
    parse(&path, &plain)
}

/// `lockgate check` of a config with these variables.
#[track_caller]
fn check(config: &Path, variables: &[(String, String)]) {
    let mut command = Command::new(lockgate());
    command.arg("check").arg("--config").arg(config).env_clear().envs(variables.iter().cloned());
    let output = Output::of(&mut command);
    assert_eq!(output.code, Some(0), "{}: {output:#?}", config.display());
    assert!(!output.stdout.contains("s3cret"), "{output:#?}");
}

/// A value of each variable that would do.
fn filled(names: &[String]) -> Vec<(String, String)> {
    let value = |name: &str| match name {
        "STORE_URL" => "postgres://u:s3cret-word@h/d",
        "SESSION_KEY" | "LOCKGATE_SECRET_KEY" => "s3cret-0123456789abcdef0123456789abcdef",
        _ => "word",
    };
    names.iter().map(|name| (name.clone(), value(name).to_owned())).collect()
}

/// Every variable is one of the gateway, which the guide lists, or one that the config names.
#[track_caller]
fn are_read(names: &[String], config: &str) {
    let guide = read("docs/guide/configuration.md");
    for name in names {
        let known = guide.contains(&format!("\n| `{name}` |")) || config.contains(&format!("${{{name}}}"));
        assert!(known, "nobody reads {name}");
    }
}

/// The gateway takes these words of the command line.
#[track_caller]
fn are_taken(words: &[&str]) {
    let with = |words: &[&str]| Output::of(Command::new(lockgate()).args(words).arg("--help")).code;
    assert_eq!(with(words), Some(0), "{words:?}");
    assert_ne!(with(&[words, &["--no-such-flag"]].concat()), Some(0), "{words:?}");
}

fn keys(map: &Value) -> Vec<String> {
    map.as_object().into_iter().flat_map(Map::keys).cloned().collect()
}

/// Services of a Compose file that run the image of this repository.
fn gateways(compose: &Value) -> Vec<(&String, &Value)> {
    let services = compose["services"].as_object().expect("services");
    services.iter().filter(|(_, service)| service.get("build").is_some()).collect()
}

#[test]
fn the_image_is_built_of_what_is_there() {
    let manifest = read("Cargo.toml");
    let version = manifest.split("\nrust-version = \"").nth(1).and_then(|rest| rest.split('"').next());
    let version = version.expect("a version of Rust");
    let from = instructions("FROM");
    assert!(from[0].starts_with(&format!("rust:{version}-")), "{from:?}");
    let run = instructions("RUN");
    assert!(
        run[0].contains("--package lockgate")
            && read("crates/cli/Cargo.toml").contains("name = \"lockgate\"")
    );
    // Without authorities there is no https, and without zones no cron expression in one.
    assert!(run[1].contains(" ca-certificates") && run[1].contains(" tzdata"), "{run:?}");
    let sources = instructions("COPY").into_iter().filter(|copy| !copy.starts_with("--from"));
    for copy in sources {
        let source = copy.split(' ').next().unwrap_or_default();
        assert!(repository(source).exists(), "{copy}");
    }
    let words = |name| -> Vec<String> {
        serde_json::from_str(&instructions(name)[0]).unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    assert_eq!(words("ENTRYPOINT"), ["lockgate"]);
    are_taken(&words("CMD").iter().map(String::as_str).collect::<Vec<_>>());
    let set: Vec<String> = instructions("ENV")[0].split(' ').map(str::to_owned).collect();
    let names: Vec<String> = set.iter().filter_map(|one| Some(one.split_once('=')?.0.to_owned())).collect();
    are_read(&names, "");
    assert!(set.contains(&format!("PORT={PORT}")) && instructions("EXPOSE") == [PORT.to_string()]);
    check(&repository("examples/demo/lockgate.yaml"), &[]);
}

#[test]
fn the_compose_files_name_what_is_there() {
    for folder in ["examples/docker", "examples/cluster"] {
        let compose = yaml(&format!("{folder}/compose.yaml"));
        let own = gateways(&compose);
        assert!(!own.is_empty(), "{folder}");
        for (name, service) in own {
            let context = repository(folder).join(service["build"]["context"].as_str().expect("a context"));
            let file = context.join(service["build"]["dockerfile"].as_str().expect("a Dockerfile"));
            assert_eq!(
                file.canonicalize().expect("it is there"),
                repository(DOCKERFILE).canonicalize().expect("it is there"),
                "{name}"
            );
            let mounts = service["volumes"].as_array().expect("volumes").iter().filter_map(Value::as_str);
            let mut config = mounts.filter_map(|mount| {
                let mut parts = mount.split(':');
                let (from, to) = (parts.next()?, parts.next()?);
                (to == "/config/config.yaml").then(|| repository(folder).join(from))
            });
            let config: PathBuf = config.next().expect("a config where the gateway looks for one");
            let variables = keys(&service["environment"]);
            are_read(&variables, &std::fs::read_to_string(&config).expect("the config"));
            check(&config, &filled(&variables));
        }
    }
    // What the gateway says of where it looks.
    Output::of(Command::new(lockgate()).arg("--help")).expect_text("/config/config.yaml");
}

#[test]
fn the_balancer_leads_to_the_instances() {
    let compose = yaml("examples/cluster/compose.yaml");
    let balancer = read("examples/cluster/haproxy.cfg");
    let own = gateways(&compose);
    assert_eq!(own.len(), 3);
    for (name, _) in own {
        assert!(balancer.contains(&format!(" {name}:{PORT} check")), "{name}");
    }
    let asked = balancer.split("option httpchk GET ").nth(1).and_then(|rest| rest.lines().next());
    TestGateway::start().get(asked.expect("a path")).expect_status(200);
}

#[test]
fn the_chart_names_what_is_there() {
    let deployment = rendered("deployment.yaml");
    assert_eq!(deployment["kind"], "Deployment");
    let container = &deployment["spec"]["template"]["spec"]["containers"][0];
    let named = |list: &Value| -> Vec<String> {
        let each = list.as_array().expect("a list").iter().filter_map(|one| one["name"].as_str());
        each.map(str::to_owned).collect()
    };
    let variables = named(&container["env"]);
    let map = rendered("config.yaml");
    assert_eq!(map["kind"], "ConfigMap");
    let config = map["data"]["config.yaml"].as_str().expect("a config");
    are_read(&variables, config);
    let folder = Folder::new();
    std::fs::write(folder.join("config.yaml"), config).expect("written");
    check(&folder.join("config.yaml"), &filled(&variables));

    let mounts = container["volumeMounts"].as_array().expect("mounts");
    let volumes = named(&deployment["spec"]["template"]["spec"]["volumes"]);
    for (mount, path) in mounts.iter().zip(["/config", "/data"]) {
        assert_eq!(mount["mountPath"], path);
        assert!(volumes.iter().any(|volume| mount["name"] == *volume), "{mount}");
    }
    assert_eq!(container["ports"], json!([{"name": "http", "containerPort": PORT}]));
    let service = rendered("service.yaml");
    assert_eq!(
        (&service["kind"], &service["spec"]["ports"][0]["targetPort"]),
        (&json!("Service"), &json!("http"))
    );
    assert_eq!(service["spec"]["selector"], deployment["spec"]["selector"]["matchLabels"]);
    let probe = &container["readinessProbe"]["httpGet"];
    TestGateway::start().get(probe["path"].as_str().expect("a path")).expect_status(200);

    let (chart, values) = (yaml(&format!("{CHART}/Chart.yaml")), read(&format!("{CHART}/values.yaml")));
    let version = format!("\nversion = \"{}\"", chart["appVersion"].as_str().expect("a version"));
    assert!(read("Cargo.toml").contains(&version), "{version}");
    for variable in container["env"].as_array().expect("variables") {
        if let Some(key) = variable["valueFrom"]["secretKeyRef"]["key"].as_str() {
            assert!(values.contains(&format!("--from-literal={key}=")), "nobody is told of {key}");
        }
    }
}

#[test]
fn a_release_may_have_any_name() {
    for file in ["config.yaml", "deployment.yaml", "service.yaml"] {
        let name = &rendered_as("true", file)["metadata"]["name"];
        assert_eq!(*name, if file == "config.yaml" { "true-config" } else { "true" }, "{file}");
    }
}

#[test]
fn a_pod_that_ends_is_given_the_time_that_it_takes() {
    let pod = rendered("deployment.yaml")["spec"]["template"]["spec"].clone();
    let pause = &pod["containers"][0]["lifecycle"]["preStop"]["exec"]["command"];
    assert_eq!(pause[0], "sleep");
    let pause: u64 = pause[1].as_str().and_then(|text| text.parse().ok()).expect("seconds");
    let grace = pod["terminationGracePeriodSeconds"].as_u64().expect("seconds");
    assert!(pause > 0 && grace >= pause + 10, "{pause} {grace}");
}

#[test]
fn the_system_unit_starts_the_gateway_with_flags_that_it_has() {
    let unit = read("examples/systemd/lockgate.service");
    let start = unit.lines().find_map(|line| line.strip_prefix("ExecStart=")).expect("a program");
    let words: Vec<&str> = start.split(' ').collect();
    assert!(words[0].ends_with("/lockgate"), "{start}");
    are_taken(&words[1..]);
}
