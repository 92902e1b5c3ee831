import type { Scenario } from "./scenario.ts";
import { allInOne } from "./scenarios/all-in-one.ts";
import { backup } from "./scenarios/backup.ts";
import { discovery } from "./scenarios/discovery.ts";
import { helmTest } from "./scenarios/helm-test.ts";
import { install } from "./scenarios/install.ts";
import { kills } from "./scenarios/kills.ts";
import { locations } from "./scenarios/locations.ts";
import { operate } from "./scenarios/operate.ts";
import { refusals } from "./scenarios/refusals.ts";
import { reinstall } from "./scenarios/reinstall.ts";
import { replicas } from "./scenarios/replicas.ts";
import { runners } from "./scenarios/runners.ts";
import { servers } from "./scenarios/servers.ts";
import { story } from "./scenarios/story.ts";
import { upgrade } from "./scenarios/upgrade.ts";

/** In the order of their dependencies: for example, `story` creates the first account. */
export const scenarios: readonly Scenario[] = [
  refusals,
  install,
  story,
  helmTest,
  replicas,
  kills,
  upgrade,
  servers,
  operate,
  reinstall,
  backup,
  runners,
  locations,
  discovery,
  allInOne,
];
