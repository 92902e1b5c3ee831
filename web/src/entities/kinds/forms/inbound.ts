import { kindForm } from "../kind-form.ts";

export const form = kindForm<"inbound">({
  name: { en: "Alerts from elsewhere", zh: "外部告警接入" },
  purpose: {
    en: "Prometheus, Grafana or a script sends its alerts to Sonde",
    zh: "Prometheus、Grafana 或脚本向 Sonde 发送告警",
  },
  group: "jobs",
  fields: {
    format: {
      label: { en: "Format", zh: "格式" },
      hint: {
        en: "What sends the alerts. The address to enter there is shown after saving.",
        zh: "发送告警的系统。保存后显示需填入该系统的地址。",
      },
      input: "choice",
      place: "address",
      options: {
        alertmanager: { en: "Prometheus Alertmanager", zh: "Prometheus Alertmanager" },
        grafana: { en: "Grafana", zh: "Grafana" },
        "events-v2": { en: "PagerDuty Events API v2", zh: "PagerDuty Events API v2" },
        generic: { en: "A script (JSON)", zh: "脚本（JSON）" },
      },
    },
    closeAfter: {
      label: { en: "Close after (minutes)", zh: "自动关闭（分钟）" },
      hint: {
        en: "Closes an incident if the source has not repeated its alert for this long. Leave empty to wait for the source.",
        zh: "来源系统超过此时间未再次发送同一告警时关闭事件。留空表示等待来源系统解除。",
      },
      input: "number",
      place: "basic",
      width: "half",
      placeholder: "60",
    },
  },
});
