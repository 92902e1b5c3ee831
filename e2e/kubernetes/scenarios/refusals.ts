import { tryCommand } from "../cluster/command.ts";
import { lossless } from "../report.ts";
import type { Scenario } from "../scenario.ts";
import { release } from "../sonde/chart.ts";

/** Wrong values, and what Helm's error must mention. */
const wrong: readonly (readonly [set: string[], names: RegExp])[] = [
  [["mode=single"], /mode/],
  [["postgres.mode=mysql"], /postgres/],
  [["postgres.mode=external"], /existingSecret/],
  [["nats.mode=external"], /existingSecret/],
  [["clickhouse.mode=external"], /existingSecret/],
  [["nats.bundled.replicas=2"], /replicas/],
  [["minimumIntervalSeconds=0"], /minimumIntervalSeconds/],
  [["registration=everybody"], /registration/],
  [["publicUrl=sonde.example.com"], /publicUrl/],
  [["retention.rawDays=many"], /rawDays/],
  [["service.port=99999"], /port/],
  [["defaults.replicas=-1"], /replicas/],
  [["services.gatway.replicas=3"], /gatway/],
  [["ingres.enabled=true"], /ingres/],
  [["services.metrics.replicas=2"], /metrics|clickhouse/i],
  [["image.preloaded=false"], /image\.registry/],
  [["defaults.resources.requests.memory=1Gb"], /memory/],
  [["deniedRanges[0]=300.1.1.1/8"], /deniedRanges/],
  [["trustedProxies[0]=10.0.0.1/64"], /trustedProxies/],
  [["runnerPools.default=null"], /runnerPools/],
  [["mode=all-in-one", "nats.bundled.replicas=3"], /nats/],
  [["defaults.autoscaling.targetCPU=70%"], /targetCPU/],
];

/** The error must explain the problem instead of showing a template failure. */
const isSentence = (text: string) => text.trim().length > 20 && !/nil pointer|can't evaluate|panic/.test(text);

export const refusals: Scenario = {
  name: "refusals",
  about: "wrong values are rejected before anything is created",
  async run(ground) {
    const chart = await ground.chart();
    const accepted: string[] = [];
    const examples: string[] = [];
    for (const [settings, names] of wrong) {
      const args = [
        "install",
        release,
        chart,
        "--dry-run=client",
        "--set=image.preloaded=true",
        ...settings.flatMap((one) => ["--set", one]),
      ];
      const { code, errors } = await tryCommand("helm", args);
      if (code === 0 || !names.test(errors) || !isSentence(errors)) {
        accepted.push(`${settings.join(", ")} ${code === 0 ? "is accepted" : `is rejected with: ${errors.trim()}`}`);
      } else examples.push(`\`${settings.join(", ")}\``);
    }
    const summary = `${examples.length} of ${wrong.length}: ${examples.join(", ")}`;
    return [lossless("wrong values", "each rejected with an explanation", summary, accepted)];
  },
};
