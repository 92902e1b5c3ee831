/** Messages of users and invites with their zh-CN translations. */
export const inviteMessages = {
  "User does not exist": "用户不存在",
  "User created": "用户已创建",
  "User updated": "用户已更新",
  "Profile updated": "个人资料已更新",
  "User deleted": "用户已删除",
  "Invite created": "邀请已创建",
  "Invite revoked": "邀请已撤销",
  "Account created": "账号已创建",
  "The invite does not exist": "邀请不存在",
  "This invite was used or revoked, or it has expired": "该邀请已使用、已撤销或已过期",
  "At most {max} invites can be open: revoke one first": "待接受的邀请最多 {max} 个，请先撤销一个",
  "Invites need a password, but password sign-in is disabled for this role": "邀请需要设置密码，但该角色已停用密码登录",
  "Your invitation to Sonde": "邀请您加入 Sonde",
  "{username} invites you to Sonde, which monitors websites, APIs and servers.":
    "{username} 邀请您加入 Sonde（网站、API 与服务器监控）。",
  "Open this link within {hours} hours to create your account. It works once:":
    "请在 {hours} 小时内打开此链接创建账号，链接只能使用一次：",
} as const;
