/**
 * The capitals of Brazil's states with their latitude and longitude in degrees, as starting points for a
 * search.
 */
const PLACES = `
Aracaju -10.911 -37.072; Belém -1.456 -48.49; Belo Horizonte -19.917 -43.935; Boa Vista 2.82 -60.673;
Brasília -15.794 -47.883; Campo Grande -20.449 -54.62; Cuiabá -15.601 -56.097; Curitiba -25.429 -49.271;
Florianópolis -27.595 -48.548; Fortaleza -3.732 -38.527; Goiânia -16.687 -49.265; João Pessoa -7.12
-34.845; Macapá 0.035 -51.066; Maceió -9.666 -35.735; Manaus -3.119 -60.022; Natal -5.795 -35.211;
Palmas -10.249 -48.324; Porto Alegre -30.035 -51.218; Porto Velho -8.761 -63.9; Recife -8.058 -34.883;
Rio Branco -9.975 -67.81; Rio de Janeiro -22.907 -43.173; Salvador -12.974 -38.502; São Luís -2.53
-44.303; São Paulo -23.551 -46.633; Teresina -5.089 -42.802; Vitória -20.316 -40.313`;
export const CAPITALS = PLACES.split(';').map((place) => {
  const words = place.trim().split(/\s+/);
  const [lat, lng] = words.splice(-2).map(Number);
  return { name: words.join(' '), lat: lat ?? 0, lng: lng ?? 0 };
});

/** The name of the capital at exactly this point. */
export const capitalAt = (lat: number, lng: number): string | undefined =>
  CAPITALS.find((capital) => capital.lat === lat && capital.lng === lng)?.name;
