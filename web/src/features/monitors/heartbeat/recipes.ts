type JobSchedule = { every?: number | undefined; cron?: string | undefined; timeZone?: string | undefined };

export const recipeNames = ["crontab", "systemd", "kubernetes", "github", "powershell", "sonde"] as const;
export type RecipeName = (typeof recipeNames)[number];

const curl = "curl -fsS -m 10 --retry 5 -o /dev/null";

/**
 * Returns a snippet to paste on the job's machine. `url` is a ping address of Sonde without quotes or spaces. Each
 * snippet reports the exit code, so that a failure is known at once and not at the deadline.
 */
export function recipeOf(name: RecipeName, url: string, schedule: JobSchedule): string {
  const cron = cronOf(schedule);
  const zone = schedule.cron === undefined ? undefined : (schedule.timeZone ?? "UTC");
  return recipes[name]({ url, cron, zone });
}

type Made = { url: string; cron: string; zone: string | undefined };

const recipes: Record<RecipeName, (made: Made) => string> = {
  // In a crontab, an unescaped percent sign ends the command.
  crontab: ({ url, cron, zone }) =>
    [
      ...(zone === undefined ? [] : [`# The hours are those of ${zone}`]),
      `${cron} /usr/local/bin/job.sh; ${curl} "${url.replaceAll("%", String.raw`\%`)}/$?"`,
    ].join("\n"),

  // systemd expands a single $ or %, and passes doubled ones to the shell. EXIT_STATUS of a killed job is a signal
  // name.
  systemd: ({ url, cron, zone }) => {
    const address = url.replaceAll("%", "%%");
    const at = calendarOf(cron);
    const calendar = at === null ? `# For cron: ${cron}\nOnCalendar=*-*-* 03:00:00` : `OnCalendar=${at}`;
    return `# /etc/systemd/system/job.service
[Service]
Type=oneshot
ExecStartPre=-/usr/bin/${curl} "${address}/start"
ExecStart=/usr/local/bin/job.sh
ExecStopPost=-/bin/sh -c '[ "$$EXIT_CODE" = exited ] || EXIT_STATUS=fail; exec ${curl} "${address}/$$EXIT_STATUS"'

# /etc/systemd/system/job.timer, then: systemctl enable --now job.timer
[Timer]
${calendar}${zone === undefined ? "" : ` ${zone}`}
Persistent=true

[Install]
WantedBy=timers.target`;
  },

  kubernetes: ({ url, cron, zone }) => `apiVersion: batch/v1
kind: CronJob
metadata:
  name: job
spec:
  schedule: "${cron}"${zone === undefined ? "" : `\n  timeZone: ${zone}`}
  concurrencyPolicy: Forbid
  jobTemplate:
    spec:
      backoffLimit: 0
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: job
              image: registry.example.com/job:1 # with sh and curl
              command:
                - /bin/sh
                - -c
                - |
                  ${curl} "${url}/start"
                  /app/job.sh
                  code=$?
                  ${curl} "${url}/$code"
                  exit $code`,

  github: ({ url, cron }) => `# .github/workflows/job.yml, with the secret SONDE_PING_URL:
# ${url}
on:
  schedule:
    - cron: "${cron}" # UTC
jobs:
  job:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: ./job.sh
      - if: always()
        env:
          PING_URL: \${{ secrets.SONDE_PING_URL }}
          END: \${{ job.status != 'success' && '/fail' || '' }}
        run: ${curl} "$PING_URL$END"`,

  powershell: ({ url }) => `# job.ps1, for the Task Scheduler of Windows 10 or newer
$ping = '${url.replaceAll("'", "''")}'
curl.exe -fsS -m 10 --retry 5 -o NUL "$ping/start"
try {
  & 'C:\\Jobs\\job.exe'
  $code = $LASTEXITCODE
} catch {
  $code = 1
}
$sent = if ($code -in 0..255) { $code } else { 'fail' }
curl.exe -fsS -m 10 --retry 5 -o NUL "$ping/$sent"
exit $code`,

  sonde: ({ url }) => `# Once; needs Node 20 or newer
curl -fsSo sonde.mjs '${new URL(url).origin}/downloads/sonde.mjs'

node sonde.mjs run --ping '${url}' -- /usr/local/bin/job.sh`,
};

/** Returns five cron fields: the given expression without seconds, or the one nearest to an interval in minutes. */
export function cronOf({ every = 1440, cron }: JobSchedule): string {
  if (cron !== undefined) return cron.trim().split(/\s+/).slice(-5).join(" ");
  if (every < 60 && 60 % every === 0) return every === 1 ? "* * * * *" : `*/${every} * * * *`;
  const hours = every / 60;
  if (hours < 24 && 24 % hours === 0) return hours === 1 ? "0 * * * *" : `0 */${hours} * * *`;
  return every === 7 * 1440 ? "0 3 * * 0" : "0 3 * * *";
}

const days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] as const;

/** Converts cron fields to a systemd calendar, or `null` if they use more than numbers, steps and one weekday. */
export function calendarOf(cron: string): string | null {
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = cron.split(" ");
  const part = (text: string) =>
    /^\*\/\d+$/.test(text)
      ? `00/${text.slice(2)}`
      : /^[\d,]+$/.test(text)
        ? text.replaceAll(/\b\d\b/g, "0$&")
        : text === "*"
          ? "*"
          : null;
  const [onMinute, onHour] = [part(minute), part(hour)];
  const onDays = weekday === "*" ? "" : /^[0-7]$/.test(weekday) ? `${days[Number(weekday) % 7]} ` : null;
  if (onMinute === null || onHour === null || onDays === null || day !== "*" || month !== "*") return null;
  return `${onDays}*-*-* ${onHour}:${onMinute}:00`;
}
