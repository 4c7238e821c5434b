import { expect } from 'chai';
import { problemText } from './problem-text.ts';
import { byteText, plural } from './words.ts';

describe('words', () => {
  it('uses the singular and the plural of each language, with its separators', () => {
    expect([0, 1, 2, 1_234].map((n) => plural('en', n, '# record|# records'))).to.deep.equal([
      '0 records',
      '1 record',
      '2 records',
      '1,234 records',
    ]);
    expect([1, 2, 1_234_567].map((n) => plural('pt-BR', n, '# registro|# registros'))).to.deep.equal([
      '1 registro',
      '2 registros',
      '1.234.567 registros',
    ]);
  });

  it('writes bytes with a plural, and larger units with one decimal', () => {
    expect([1, 136, 1_500].map((n) => byteText(n, 'en'))).to.deep.equal(['1 byte', '136 bytes', '1.5 kB']);
    expect([136, 1_500].map((n) => byteText(n, 'pt-BR'))).to.deep.equal(['136 bytes', '1,5 kB']);
  });

  it('shows a problem in its own words in English, and translates it in Portuguese', () => {
    const problem = {
      type: '/api/docs/errors/invalid-parameters',
      title: 'Invalid query parameters',
      status: 400,
      detail: 'The request has invalid query parameters.',
      errors: [
        { parameter: 'date', detail: 'must be a calendar date, written YYYY-MM-DD' },
        { parameter: 'lat', detail: 'must be a decimal number from -90 to 90' },
        { parameter: 'new', detail: 'must be something that no pattern knows' },
      ],
    };
    expect(problemText('en', problem)).to.equal(problem);
    expect(problemText('pt-BR', problem)).to.deep.equal({
      type: '/api/docs/errors/invalid-parameters',
      title: 'Parâmetros inválidos',
      status: 400,
      detail: 'A requisição tem parâmetros inválidos.',
      errors: [
        { parameter: 'date', detail: 'deve ser uma data do calendário no formato AAAA-MM-DD' },
        { parameter: 'lat', detail: 'deve ser um número de -90 a 90' },
        { parameter: 'new', detail: 'tem um valor inválido' },
      ],
    });
    expect(problemText('pt-BR', { title: 'Teapot', status: 418 }).title).to.equal('Erro 418');
  });
});
