import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hostOf } from "../testing/fixture.ts";
import { countContainers, listGpus, listSensors, readGpus, readTemperatures } from "./devices.ts";

const id = "0123456789abcdef".repeat(4);

test("sensors are named by chip and label, and absurd values are omitted", () => {
  const roots = hostOf({
    "sys/class/hwmon/hwmon0/name": "coretemp\n",
    "sys/class/hwmon/hwmon0/temp1_input": "45500\n",
    "sys/class/hwmon/hwmon0/temp1_label": "Package id 0\n",
    "sys/class/hwmon/hwmon0/temp2_input": "-2147483648\n",
    "sys/class/hwmon/hwmon0/temp3_input": "61000\n",
    "sys/class/hwmon/hwmon0/fan1_input": "900\n",
    "sys/class/thermal/thermal_zone0/temp": "40000\n",
  });
  expect(readTemperatures(listSensors(roots))).toEqual([
    { sensor: "coretemp Package id 0", celsius: 45.5 },
    { sensor: "coretemp temp3", celsius: 61 },
  ]);
});

test("thermal zones are used if there is no other sensor", () => {
  const roots = hostOf({
    "sys/class/thermal/thermal_zone0/temp": "40000\n",
    "sys/class/thermal/thermal_zone0/type": "acpitz\n",
  });
  expect(readTemperatures(listSensors(roots))).toEqual([{ sensor: "acpitz", celsius: 40 }]);
});

test("only GPUs whose driver reports usage are read", () => {
  const roots = hostOf({
    "sys/class/drm/card0/device/gpu_busy_percent": "37\n",
    "sys/class/drm/card0/device/mem_info_vram_used": "1000\n",
    "sys/class/drm/card0/device/mem_info_vram_total": "4000\n",
    "sys/class/drm/card0/device/uevent": "DRIVER=amdgpu\nPCI_ID=1002:73BF\n",
    "sys/class/drm/card1/device/uevent": "DRIVER=nvidia\n",
    "sys/class/drm/card0-DP-1/status": "connected\n",
  });
  expect(readGpus(listGpus(roots))).toEqual([
    { name: "GPU 1002:73BF", usage: 37, memoryUsed: 1000, memoryTotal: 4000 },
  ]);
});

test("running containers of every engine are counted by their cgroups", () => {
  const base = "sys/fs/cgroup";
  const roots = hostOf({
    [`${base}/cgroup.controllers`]: "",
    [`${base}/system.slice/docker-${id}.scope/cgroup.events`]: "populated 1\n",
    [`${base}/system.slice/docker-${id.replace("0", "f")}.scope/cgroup.events`]: "populated 0\n",
    [`${base}/system.slice/ssh.service/cgroup.events`]: "populated 1\n",
    [`${base}/kubepods.slice/kubepods-pod1.slice/cri-containerd-${id}.scope/cgroup.events`]: "populated 1\n",
    [`${base}/docker/${id}/cgroup.events`]: "populated 1\n",
    [`${base}/machine.slice/libpod-${id}.scope/cgroup.events`]: "populated 1\n",
  });
  expect(countContainers(roots)).toBe(4);
});

test("the count is 0 with an engine but no containers, and absent without an engine", () => {
  const roots = hostOf({ "sys/fs/cgroup/cgroup.controllers": "" });
  expect(countContainers(roots)).toBeUndefined();
  mkdirSync(join(roots.root, "run"));
  roots.write("run/docker.sock", "");
  expect(countContainers(roots)).toBe(0);
});
