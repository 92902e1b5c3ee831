import type { inbound as english } from "../en-US/inbound.ts";
import type { Translated } from "../catalogue.ts";

export const inbound: Translated<typeof english> = {
  open: "未解除的告警",
  all: "查看全部未解除的告警",
  downNote: "有严重告警时判定为故障",
  received: "最近接收",
  nothing: "尚未收到告警",
  address: "告警接收地址",
  addressText: "知道此地址的任何人都可以发送告警，请像密码一样妥善保管。",
  snippets: {
    alertmanager: { title: "Alertmanager 配置", note: "将以下内容加入 alertmanager.yml，然后重新加载 Alertmanager。" },
    grafana: {
      title: "Grafana 联络点",
      note: "在 Grafana 中新建类型为 Webhook 的联络点并填入此地址，或使用以下配置文件。",
    },
    "events-v2": {
      title: "PagerDuty 客户端的请求",
      note: "将客户端中的 https://events.pagerduty.com 替换为上面的地址，也可以自行发送事件：",
    },
    generic: { title: "脚本命令", note: "key 用于标识告警，第二条命令据此解除告警。" },
  },
};
