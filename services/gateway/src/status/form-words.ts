import type { PageLanguage } from "@sonde/proto/http/status/documents";

type Notice = { title: string; text: string };

type FormWords = {
  asked: Notice;
  confirmed: Notice;
  ended: Notice;
  failed: { title: string; away: string };
};

export const formWords: Record<PageLanguage, FormWords> = {
  "en-US": {
    asked: {
      title: "Check your inbox",
      text: "If this address can receive emails, a confirmation link is on its way. Open it to confirm your subscription.",
    },
    confirmed: {
      title: "You are subscribed",
      text: "We will email you about updates. Every email contains a link to unsubscribe.",
    },
    ended: { title: "You have unsubscribed", text: "You will no longer receive emails from this page." },
    failed: {
      title: "Something went wrong",
      away: "This is currently unavailable. Nothing was changed; please try again in a few minutes.",
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
