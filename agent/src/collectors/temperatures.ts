import { join } from "node:path";
import { type Roots, listFolder, readNumber, readText } from "./roots.ts";

export interface TemperatureFigures {
  sensor: string;
  celsius: number;
}

export interface Sensor {
  name: string;
  path: string;
}

/** Millidegrees to degrees; drivers without a sensor report absurd figures. */
export function celsius(millidegrees: number | undefined): number | undefined {
  if (millidegrees === undefined || millidegrees < -100_000 || millidegrees > 200_000) return undefined;
  return millidegrees / 1000;
}

/** Sensors of hwmon, named by chip and label; thermal zones only where hwmon has none. */
export function listSensors(roots: Roots): Sensor[] {
  const folder = join(roots.sys, "class/hwmon");
  const sensors = listFolder(folder).flatMap((chip) => {
    const inputs = listFolder(join(folder, chip)).filter((entry) => /^temp\d+_input$/.test(entry));
    const chipName = readText(join(folder, chip, "name"))?.trim() || chip;
    return inputs.map((input) => {
      const label = readText(join(folder, chip, input.replace("_input", "_label")))?.trim();
      return { name: `${chipName} ${label || input.replace("_input", "")}`, path: join(folder, chip, input) };
    });
  });
  const zones = join(roots.sys, "class/thermal");
  const found =
    sensors.length > 0
      ? sensors
      : listFolder(zones)
          .filter((zone) => zone.startsWith("thermal_zone"))
          .map((zone) => ({
            name: readText(join(zones, zone, "type"))?.trim() || zone,
            path: join(zones, zone, "temp"),
          }));
  return found.slice(0, 100).map((sensor) => ({ ...sensor, name: sensor.name.slice(0, 100) }));
}

export function readTemperatures(sensors: Sensor[]): TemperatureFigures[] {
  return sensors.flatMap(({ name, path }) => {
    const figure = celsius(readNumber(path));
    return figure === undefined ? [] : [{ sensor: name, celsius: figure }];
  });
}
