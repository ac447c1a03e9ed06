import type { createBullBoard } from '@bull-board/api';

type UiConfig = NonNullable<NonNullable<Parameters<typeof createBullBoard>[0]['options']>['uiConfig']>;

const FONT = 'system-ui, sans-serif';

/** The texts and colors of the board. */
export const boardUi: UiConfig = {
  boardTitle: 'Jobline queues',
  environment: { label: 'Read-only: jobs are stored in Postgres', color: '#fef6e7', textColor: '#7a4b0b' },
  miscLinks: [
    { text: 'Finished jobs: the dashboard', url: '/' },
    { text: 'API reference', url: '/docs' },
  ],
  hideDocsLink: true,
  locale: { lng: 'en-US' },
  theme: {
    light: { primary: '#334fb8', 'primary-foreground': '#ffffff', 'font-sans': FONT },
    dark: { primary: '#9cabfa', 'primary-foreground': '#0a0f1c', 'font-sans': FONT },
  },
};
