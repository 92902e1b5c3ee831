import type { PageLanguage } from "@sonde/proto/http/status/documents";

type Notice = { title: string; text: string };

type FormWords = {
  asked: Notice;
  confirmed: Notice;
  ended: Notice;
  /** `away`: the service was unavailable. */
  failed: { title: string; away: string };
};

export const formWords: Record<PageLanguage, FormWords> = {
  "en-US": {
    asked: {
      title: "Check your inbox",
      text: "If this address can receive our emails, one with a link is on its way. You are subscribed once you open it and confirm.",
    },
    confirmed: {
      title: "You are subscribed",
      text: "We will email you when there is news. Every email has a link to unsubscribe.",
    },
    ended: { title: "You have unsubscribed", text: "You will get no more emails from this page." },
    failed: {
      title: "That did not work",
      away: "This is not available at the moment. Nothing was changed; please try again in a few minutes.",
    },
  },
  "zh-CN": {
    asked: {
      title: "请查收邮件",
      text: "如果该邮箱可以接收邮件，您将收到一封带有链接的邮件。打开链接并确认后即完成订阅。",
    },
    confirmed: { title: "订阅成功", text: "有新动态时我们会给您发送邮件。每封邮件中都有退订链接。" },
    ended: { title: "您已退订", text: "您将不再收到此页面的邮件。" },
    failed: { title: "操作未成功", away: "该功能暂时不可用，未做任何更改，请几分钟后再试。" },
  },
};
