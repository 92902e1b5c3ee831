const minuteMs = 60_000;

type Durations = Record<"monitoredMs" | "maintenanceMs" | "pausedMs", readonly number[]>;

/**
 * Whole minutes of what each day was made of. Rounded by where the parts end, so that a day of nothing but maintenance
 * and pauses has as many minutes of them as it has in all.
 */
export function minutesOf({ monitoredMs, maintenanceMs, pausedMs }: Durations) {
  const whole = (ms: number) => Math.floor(ms / minuteMs);
  return {
    monitoredMinutes: monitoredMs.map(whole),
    maintenanceMinutes: maintenanceMs.map((ms, day) => whole(ms + (pausedMs[day] ?? 0)) - whole(pausedMs[day] ?? 0)),
    pausedMinutes: pausedMs.map(whole),
  };
}
