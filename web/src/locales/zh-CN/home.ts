import type * as en from "../en-US/home.ts";
import type { Translated } from "../catalogue.ts";

export const home: Translated<typeof en.home> = {
  title: "先于用户发现问题",
  lead: "Sonde 全天候监控您的 API，精确测量每次请求的每个阶段，一旦出现故障立即告警。自行部署，数据归您所有。",
  start: "立即开始",
  dashboard: "进入仪表盘",
  login: "登录",
  example: "示例",
  exampleNote: "示意图，数据为虚构。",
  features: {
    title: "所有服务状态，一目了然",
    realtime: {
      title: "实时监控",
      text: "检查准时执行，每次都新建连接。状态与响应时间实时更新，无需刷新页面。",
    },
    alerts: {
      title: "告警通知",
      text: "检查失败会先重试确认，再发出告警；缺失的检查记为“无数据”，既不算正常也不算故障。每条告警都值得关注。",
    },
    dashboard: {
      title: "可视化仪表盘",
      text: "24 小时与 30 天的可用率、响应时间百分位，以及请求的各个阶段：DNS、连接、TLS、首字节。",
    },
    statusPage: {
      title: "公开状态页",
      text: "向用户展示您选定服务的状态，无需登录，也不会泄露任何地址或密钥。",
      open: "查看状态页",
    },
  },
  steps: {
    title: "一分钟内看到第一个结果",
    one: { title: "注册", text: "第一个账号即为管理员。" },
    two: { title: "添加监控项", text: "只需填写名称和 URL，其余均有合理的默认值。" },
    three: { title: "实时查看", text: "保存后两秒内即可看到首个结果。" },
  },
  sample: {
    checkout: "结算 API",
    search: "搜索服务",
    mailer: "邮件网关",
    phases: "一次请求的各个阶段",
  },
};
